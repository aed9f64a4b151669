// Portal: the page of each path, and who may see it. Each page is loaded when it is first shown.
import { type ComponentType, lazy, Suspense, useState } from 'react';
import { Redirect, Route, Switch, useLocation } from 'wouter';
import { BlockSkeleton } from './components/page/states.tsx';
import { Entry } from './pages/entry/entry.tsx';
import { isAdministrator, isDeveloper } from './session/firm-role.ts';
import { takeReturnPath } from './session/return-path.ts';
import { SignedIn } from './session/signed-in.tsx';
import { type Role, useViewer, type ViewerBody } from './session/viewer.ts';
import { ErrorBoundary } from './shell/error-boundary.tsx';
import { homeOf } from './shell/navigation.ts';
import { Shell } from './shell/shell.tsx';

interface PageRow {
  path: string;
  /** Absent if everybody with the role may see it. */
  may?: (viewer: ViewerBody) => boolean;
  page: ComponentType;
}

const ReceiptPage = lazy(() => import('./pages/receipt/receipt-page.tsx'));

/** The first match counts. */
const PAGES: Record<Role, readonly PageRow[]> = {
  firm_member: [
    { path: '/keys', page: lazy(() => import('./pages/firm/keys/keys-page.tsx')) },
    { path: '/keys/new', may: isDeveloper, page: lazy(() => import('./pages/firm/keys/create-key-page.tsx')) },
    { path: '/keys/:id/link', page: lazy(() => import('./pages/firm/keys/link-page.tsx')) },
    { path: '/keys/:id', page: lazy(() => import('./pages/firm/keys/key-page.tsx')) },
    { path: '/access', page: lazy(() => import('./pages/firm/grants/grants-page.tsx')) },
    { path: '/access/ask', may: isDeveloper, page: lazy(() => import('./pages/firm/grants/ask-page.tsx')) },
    { path: '/access/:id', page: lazy(() => import('./pages/firm/grants/grant-page.tsx')) },
    { path: '/access/:id/receipts/:step', page: ReceiptPage },
    { path: '/activity', page: lazy(() => import('./pages/firm/activity/activity-page.tsx')) },
    { path: '/sandbox', page: lazy(() => import('./pages/firm/sandbox/sandbox-page.tsx')) },
    { path: '/team', page: lazy(() => import('./pages/firm/team/team-page.tsx')) },
    { path: '/team/invite', may: isAdministrator, page: lazy(() => import('./pages/firm/team/invite-page.tsx')) },
    { path: '/firm', page: lazy(() => import('./pages/firm/details/firm-page.tsx')) },
    { path: '/audit', page: lazy(() => import('./pages/firm/team/audit-page.tsx')) },
    { path: '/start', may: isDeveloper, page: lazy(() => import('./pages/firm/start/start-page.tsx')) },
  ],
  client: [
    { path: '/connected', page: lazy(() => import('./pages/client/grants/grants-page.tsx')) },
    { path: '/connected/new', page: lazy(() => import('./pages/client/grants/give-page.tsx')) },
    { path: '/connected/:id', page: lazy(() => import('./pages/client/grants/grant-page.tsx')) },
    { path: '/connected/:id/receipts/:step', page: ReceiptPage },
    { path: '/record', page: lazy(() => import('./pages/client/record/record-page.tsx')) },
    { path: '/record/statement', page: lazy(() => import('./pages/client/statement/statement-page.tsx')) },
    { path: '/history', page: lazy(() => import('./pages/client/history/history-page.tsx')) },
  ],
  ops: [
    { path: '/limits', page: lazy(() => import('./pages/ops/limits-page.tsx')) },
    { path: '/limits/what-if', page: lazy(() => import('./pages/ops/what-if-page.tsx')) },
  ],
};

/** For every signed-in user. */
const SHARED_PAGES: readonly PageRow[] = [
  { path: '/connect/:key', page: lazy(() => import('./pages/client/grants/connect-page.tsx')) },
  { path: '/account/notifications', page: lazy(() => import('./pages/account/notifications-page.tsx')) },
  { path: '/account', page: lazy(() => import('./pages/account/account-page.tsx')) },
];

const NotFound = lazy(() => import('./pages/entry/not-found.tsx'));

export function Pages() {
  return (
    <Switch>
      <Route path="/sign-in">
        <Entry step="sign-in" />
      </Route>
      <Route path="/invitation">
        <Entry step="invitation" />
      </Route>
      <Route path="/join">
        <Entry step="join" />
      </Route>
      <Route path="/forgot">
        <Entry step="forgot" />
      </Route>
      <Route>
        <SignedIn>
          {(role) => (
            <Shell>
              <Page role={role} />
            </Shell>
          )}
        </SignedIn>
      </Route>
    </Switch>
  );
}

function Page({ role }: { role: Role }) {
  const [path] = useLocation();
  return (
    <ErrorBoundary at={path}>
      <Suspense fallback={<BlockSkeleton lines={8} />}>
        <PagesOf role={role} />
      </Suspense>
    </ErrorBoundary>
  );
}

function PagesOf({ role }: { role: Role }) {
  const viewer = useViewer();
  return (
    <Switch>
      {[...PAGES[role], ...SHARED_PAGES].map(({ path, page, may }) => (
        <Route key={path} path={path} component={may?.(viewer) === false ? NotFound : page} />
      ))}
      <Route path="/">
        <Home role={role} />
      </Route>
      <Route>
        <NotFound />
      </Route>
    </Switch>
  );
}

/** The page after signing in: the one requested before, or the role's start page. */
function Home({ role }: { role: Role }) {
  const [returnPath] = useState(takeReturnPath);
  return <Redirect to={returnPath !== null && returnPath !== '/' ? returnPath : homeOf(role)} replace />;
}
