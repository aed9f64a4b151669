// Operations: tiers as the options of a filter.
import { tierName } from '../../components/tier.ts';
import { useViewer } from '../../session/viewer.ts';

export function useTierOptions(): { value: string; label: string }[] {
  const { tiers } = useViewer();
  return tiers.map(({ tier }) => ({ value: tier, label: tierName(tier) }));
}
