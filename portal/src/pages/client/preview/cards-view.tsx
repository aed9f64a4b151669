// Client: a partner's response as cards.
import { Text } from '@mantine/core';
import { IconEyeOff } from '@tabler/icons-react';
import { memo, useMemo } from 'react';
import { Dimmed } from '../../../components/dimmed.tsx';
import { Notice } from '../../../components/page/notice.tsx';
import { Facts } from '../../../components/page/section.tsx';
import { BlockSkeleton } from '../../../components/page/states.tsx';
import { Categories } from '../../../generated/operations.ts';
import { useRead } from '../../../graphql/hooks.ts';
import { type Card, cardsOf, hiddenText, refusalOf } from './card-words.ts';
import classes from './cards-view.module.css';
import type { PreviewEndpoint } from './requests.ts';

interface CardsViewProps {
  endpoint: PreviewEndpoint;
  body: string;
  label: string;
  /** Whether a newer response is loading. */
  waiting: boolean;
}

export function CardsView({ endpoint, body, label, waiting }: CardsViewProps) {
  const { data: categories, isPending } = useRead(Categories, {});
  const shown = useMemo(
    () => cardsOf(endpoint, body, (code) => categories?.find((one) => one.code === code)?.name ?? code),
    [endpoint, body, categories],
  );
  // Without the names, codes would be shown for a moment.
  if (isPending) return <BlockSkeleton lines={9} />;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard.
    <section className={classes.box} aria-label={label} aria-busy={waiting} tabIndex={0}>
      {shown === null ? (
        <Refused body={body} />
      ) : (
        <>
          <Dimmed mb="sm">{shown.head}</Dimmed>
          {shown.cards.length === 0 && <Text size="sm">There is nothing for them to see here.</Text>}
          <ul className={classes.cards}>
            {shown.cards.map((card) => (
              <CardOf key={card.id} of={card} />
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

/** Not rendered again while a newer response is loading. */
const CardOf = memo(function CardOf({ of: { title, value, facts, hidden } }: { of: Card }) {
  return (
    <li className={classes.card}>
      <div className={classes.head}>
        <Text fw={600} className="breakable" c={title === null ? 'dimmed' : 'inherit'}>
          <bdi>{title ?? 'An item without its name'}</bdi>
        </Text>
        {value !== null && (
          <Text fw={600} className={`numbers ${classes.value}`}>
            {value}
          </Text>
        )}
      </div>
      {facts.length > 0 && <Facts of={facts} rows />}
      <Dimmed size="xs" className={classes.hidden}>
        {hidden.length > 0 && <IconEyeOff size={14} aria-hidden />}
        {hiddenText(hidden)}
      </Dimmed>
    </li>
  );
});

const Refused = ({ body }: { body: string }) => (
  <Notice tone="info" title="They are refused this">
    {refusalOf(body)}
  </Notice>
);
