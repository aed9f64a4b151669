// Firm: a choice of sandbox or production, with their meaning.
import { Radio, SimpleGrid } from '@mantine/core';
import { ChoiceCard } from '../../../components/choice-card.tsx';
import { countText } from '../../../components/numbers.tsx';
import { useViewer } from '../../../session/viewer.ts';

interface EnvironmentChoiceProps {
  value: string;
  onChange: (environment: string) => void;
}

export function EnvironmentChoice({ value, onChange }: EnvironmentChoiceProps) {
  const { tiers, firm } = useViewer();
  const perMinute = (tier: string | undefined) => countText(tiers.find((row) => row.tier === tier)?.limit ?? 0);
  const choices = [
    {
      value: 'sandbox',
      name: 'Sandbox',
      meaning: `Reads sandbox clients. For trying and testing, ${perMinute('sandbox')} requests a minute.`,
    },
    {
      value: 'production',
      name: 'Production',
      meaning: `Reads real clients who have granted access, ${perMinute(firm?.tier)} requests a minute.`,
    },
  ];
  return (
    <Radio.Group label="Environment" value={value} onChange={onChange}>
      <SimpleGrid cols={{ base: 1, xs: 2 }} mt="xs" spacing="sm">
        {choices.map((choice) => (
          <ChoiceCard key={choice.value} {...choice} />
        ))}
      </SimpleGrid>
    </Radio.Group>
  );
}
