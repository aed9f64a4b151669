// Components: why an action failed, or that its result is still unknown.
import { Loader } from '@mantine/core';
import type { ActionState } from '../../graphql/use-action.ts';
import { useFaultAbout } from '../fault-about.ts';
import { TextLink } from '../text-link.tsx';
import { Notice } from './notice.tsx';
import { Failure } from './states.tsx';

interface ActionFaultProps {
  of: Pick<ActionState, 'lost' | 'error'>;
  /** The input of the action: the error is hidden once it changes. */
  about?: unknown;
}

export function ActionFault({ of: { lost, error }, about }: ActionFaultProps) {
  const fault = useFaultAbout(error, about);
  if (lost)
    return (
      <div role="status">
        <Notice tone="warn" title="No response" icon={Waiting}>
          It may have been done anyway. Checking now; it is not sent again.
        </Notice>
      </div>
    );
  if (fault === null) return null;
  return (
    <Failure error={fault}>
      {fault.code === 'secret_lost' && <TextLink href={`/keys/${fault.param}`}>Open the key</TextLink>}
    </Failure>
  );
}

const Waiting = ({ className }: { className?: string | undefined }) => (
  <Loader size={17} className={className} aria-hidden />
);
