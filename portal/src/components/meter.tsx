// Components: the used share of a limit, as a bar and in words.
import { isNearLimit } from '#core/near-limit.ts';
import classes from './meter.module.css';
import { countText } from './numbers.tsx';

interface MeterProps {
  used: number;
  limit: number;
}

export function Meter({ used, limit }: MeterProps) {
  const share = limit === 0 ? 0 : Math.min(1, used / limit);
  const level = share >= 1 ? 'full' : isNearLimit(used, limit) ? 'near' : 'free';
  return (
    <div className={classes.meter}>
      <span className="numbers">
        {countText(used)} <span className={classes.limit}>/ {countText(limit)}</span>
      </span>
      <Track share={share} level={level} />
    </div>
  );
}

interface TrackProps {
  /** From 0 to 1. */
  share: number;
  level: 'free' | 'near' | 'full';
}

/** The bar, for a share that is also told in words. */
export const Track = ({ share, level }: TrackProps) => (
  <div aria-hidden className={classes.track} data-level={level}>
    <div className={classes.fill} style={{ width: `${share * 100}%` }} />
  </div>
);
