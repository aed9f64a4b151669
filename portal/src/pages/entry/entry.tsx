// Entry: the pages before signing in. The sign-in page is part of the main program, so that it needs no further
// download.
import { type ComponentType, lazy, Suspense } from 'react';
import { BlockSkeleton } from '../../components/page/states.tsx';
import { useOffers } from '../../session/offers.ts';
import { usePollWhileUnreachable } from '../../session/poll-unreachable.ts';
import { Brand } from '../../shell/brand.tsx';
import { ColorSchemeSwitch } from '../../shell/color-scheme-switch.tsx';
import { ErrorBoundary } from '../../shell/error-boundary.tsx';
import classes from './entry.module.css';
import { SignIn } from './sign-in.tsx';

const STEPS: Record<'sign-in' | 'invitation' | 'join' | 'forgot', ComponentType> = {
  'sign-in': SignIn,
  invitation: lazy(() => import('./invitation.tsx')),
  join: lazy(() => import('./join.tsx')),
  forgot: lazy(() => import('./forgot.tsx')),
};

export function Entry({ step }: { step: keyof typeof STEPS }) {
  const Step = STEPS[step];
  usePollWhileUnreachable(useOffers().refetch);
  return (
    <div className={classes.entry}>
      <div className={classes.left}>
        <header className={classes.top}>
          <Brand />
          <ColorSchemeSwitch />
        </header>
        <main className={classes.form}>
          <ErrorBoundary at={step}>
            <Suspense fallback={<BlockSkeleton />}>
              <Step />
            </Suspense>
          </ErrorBoundary>
        </main>
      </div>
      <div className={classes.right} aria-hidden>
        <Colonnade />
        <p className={classes.words}>
          Clients decide what firms see, field by field and item by item, and every access is recorded.
        </p>
      </div>
    </div>
  );
}

const COLUMNS = [60, 150, 240, 330, 420];

/** A drawing of a portico. */
function Colonnade() {
  return (
    <svg
      viewBox="0 0 500 420"
      aria-hidden="true"
      className={classes.picture}
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
    >
      <path d="M20 120 250 20 480 120M20 120h460M34 134h432M20 120v14M480 120v14M70 112 250 34 430 112Z" />
      {COLUMNS.map((x) => (
        <path
          key={x}
          d={`M${x - 8} 148h36M${x - 4} 156h28M${x} 156v196M${x + 7} 156v196M${x + 13} 156v196M${x + 20} 156v196M${x - 4} 352h28M${x - 8} 360h36`}
        />
      ))}
      <path d="M24 374h452M12 388h476M0 402h500" />
    </svg>
  );
}
