// Shell: says on every page that the portal cannot be reached, from the moment the browser knows until it can again.
import { Box } from '@mantine/core';
import { IconPlugConnectedX } from '@tabler/icons-react';
import { useEffect } from 'react';
import { Notice } from '../components/page/notice.tsx';
import { useReachable } from '../graphql/reachable.ts';
import { useViewerQuery } from '../session/viewer.ts';

const LOOK_AGAIN_MS = 5_000;

export function ConnectionNotice() {
  const reachable = useReachable();
  const { refetch } = useViewerQuery();
  useEffect(() => {
    const look = () => void refetch();
    window.addEventListener('offline', look);
    window.addEventListener('online', look);
    return () => {
      window.removeEventListener('offline', look);
      window.removeEventListener('online', look);
    };
  }, [refetch]);
  useEffect(() => {
    if (reachable) return;
    const timer = setInterval(() => void refetch(), LOOK_AGAIN_MS);
    return () => clearInterval(timer);
  }, [reachable, refetch]);
  return (
    <div role="status">
      {!reachable && (
        <Box mb="lg">
          <Notice
            tone="warn"
            icon={IconPlugConnectedX}
            title={navigator.onLine ? 'The portal cannot be reached' : 'You are offline'}
          >
            What stands here may be out of date. Nothing is sent until you send it again.
          </Notice>
        </Box>
      )}
    </div>
  );
}
