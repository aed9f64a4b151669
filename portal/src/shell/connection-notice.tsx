// Shell: a notice on every page while the portal cannot be reached.
import { IconPlugConnectedX } from '@tabler/icons-react';
import { Notice } from '../components/page/notice.tsx';
import { useReachable } from '../graphql/reachable.ts';

export function ConnectionNotice() {
  const reachable = useReachable();
  return (
    <div role="status">
      {!reachable && (
        <Notice
          tone="warn"
          icon={IconPlugConnectedX}
          mb="lg"
          title={navigator.onLine ? 'The portal cannot be reached' : 'You are offline'}
        >
          What is shown here may be out of date. Nothing is sent until you send it again.
        </Notice>
      )}
    </div>
  );
}
