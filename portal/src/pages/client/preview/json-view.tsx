// Client: a JSON body to read: coloured and wrapped, with only the visible lines rendered.
import { useVirtualizer } from '@tanstack/react-virtual';
import { type CSSProperties, useMemo, useRef } from 'react';
import { jsonLines } from './json-lines.ts';
import classes from './json-view.module.css';

interface JsonViewProps {
  /** The exact text. */
  text: string;
  label: string;
  /** Whether to show it as sent, without line breaks. */
  exact: boolean;
  /** Whether a newer text is loading. */
  waiting: boolean;
}

export function JsonView({ exact, ...view }: JsonViewProps) {
  return exact ? <Exact {...view} /> : <Readable {...view} />;
}

type ViewProps = Omit<JsonViewProps, 'exact'>;

function Exact({ text, label, waiting }: ViewProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard.
    <section className={classes.box} aria-label={label} aria-busy={waiting} tabIndex={0}>
      <pre className={classes.exact}>{text}</pre>
    </section>
  );
}

function Readable({ text, label, waiting }: ViewProps) {
  const box = useRef<HTMLElement>(null);
  const lines = useMemo(() => jsonLines(text), [text]);
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => box.current,
    estimateSize: () => 21,
    overscan: 20,
  });
  const shown = virtual.getVirtualItems();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard.
    <section ref={box} className={classes.box} aria-label={label} aria-busy={waiting} tabIndex={0}>
      <div className={classes.lines} style={{ height: virtual.getTotalSize() }}>
        <div className={classes.shown} style={{ transform: `translateY(${shown[0]?.start ?? 0}px)` }}>
          {shown.map(({ index }) => {
            const line = lines[index];
            return (
              <div
                key={index}
                ref={virtual.measureElement}
                data-index={index}
                className={classes.line}
                style={{ '--depth': line?.depth ?? 0 } as CSSProperties}
              >
                {line?.tokens.map((token, position) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: the tokens of a line never change their order.
                  <span key={position} className={classes[token.kind]}>
                    {token.text}
                  </span>
                ))}
              </div>
            );
          })}
        </div>
      </div>
    </section>
  );
}
