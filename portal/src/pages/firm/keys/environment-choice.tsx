// Firm: sandbox or production, and what that means.
import { Radio, SimpleGrid, Text } from '@mantine/core';
import { countText } from '../../../components/numbers.tsx';
import { useViewer } from '../../../session/viewer.ts';
import classes from './environment-choice.module.css';

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
      words: `Reads test clients. For trying and testing, ${perMinute('sandbox')} requests a minute.`,
    },
    {
      value: 'production',
      name: 'Production',
      words: `Reads real clients who have granted access, ${perMinute(firm?.tier)} requests a minute.`,
    },
  ];
  return (
    <Radio.Group label="Environment" value={value} onChange={onChange}>
      <SimpleGrid cols={{ base: 1, xs: 2 }} mt="xs" spacing="sm">
        {choices.map((choice) => (
          <Radio.Card key={choice.value} value={choice.value} className={classes.card} aria-label={choice.name}>
            <Radio.Indicator />
            <span>
              <Text fw={500} component="span" display="block">
                {choice.name}
              </Text>
              <Text size="sm" c="dimmed" component="span">
                {choice.words}
              </Text>
            </span>
          </Radio.Card>
        ))}
      </SimpleGrid>
    </Radio.Group>
  );
}
