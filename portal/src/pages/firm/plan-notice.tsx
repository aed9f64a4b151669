// Firm: why nothing can be created without an active plan.
import { Notice } from '../../components/page/notice.tsx';
import { useViewer } from '../../session/viewer.ts';

export const usePlanActive = (): boolean => useViewer().firm?.planActive ?? false;

export function PlanNotice() {
  const { firm } = useViewer();
  if (firm === null || firm.planActive) return null;
  return (
    <Notice tone="warn" title="The enterprise plan is not active" mb="xl" maw="46rem">
      <bdi>{firm.name}</bdi> cannot create or rotate keys, and the API answers its keys with plan_inactive, until the
      plan is active again. Write to your contact at Portico to have it activated; existing keys and grants stay as they
      are.
    </Notice>
  );
}
