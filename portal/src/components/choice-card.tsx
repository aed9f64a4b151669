// Components: one of several options, as a card with its name and meaning.
import { Radio, Text } from '@mantine/core';
import classes from './choice-card.module.css';
import { Dimmed } from './dimmed.tsx';

interface ChoiceCardProps {
  value: string;
  name: string;
  meaning: string;
}

export function ChoiceCard({ value, name, meaning }: ChoiceCardProps) {
  return (
    <Radio.Card value={value} className={classes.card} aria-label={name}>
      <Radio.Indicator />
      <span>
        <Text fw={500} component="span" display="block">
          {name}
        </Text>
        <Dimmed component="span">{meaning}</Dimmed>
      </span>
    </Radio.Card>
  );
}
