// Command line: progress of long work on standard error: a bar at a terminal, occasional lines elsewhere.
import { SingleBar } from 'cli-progress';
import type { Progress, ProgressUnit } from '#tools/import/progress.ts';
import { note } from './host.ts';

export interface ShownProgress extends Progress {
  /** Ends the bar, which shows how far the work came. */
  end(): void;
}

export const showProgress = (): ShownProgress => (process.stderr.isTTY ? bar() : lines());

const shown = (value: number, unit: ProgressUnit) =>
  unit === 'bytes' ? `${(value / 1_000_000).toFixed(1)} MB` : value.toLocaleString('en-GB');

function bar(): ShownProgress {
  let current: SingleBar | null = null;
  const end = () => {
    current?.stop();
    current = null;
  };
  return {
    phase(name, total, unit) {
      end();
      current = new SingleBar({
        stream: process.stderr,
        format: `${name.padEnd(28)} {bar} {percentage}% {value} of {total}, {duration_formatted}`,
        formatValue: (value, _options, type) =>
          type === 'value' || type === 'total' ? shown(value, unit) : String(value),
        // The library truncates the line to the terminal's width. Without this it would switch wrapping off, and Ctrl-C
        // would leave it off.
        linewrap: true,
      });
      current.start(total, 0);
    },
    reached: (done) => current?.update(done),
    end,
  };
}

const EVERY = 5_000;

function lines(): ShownProgress {
  let phase = { name: '', total: 0, unit: 'rows' as ProgressUnit };
  let next = 0;
  return {
    phase(name, total, unit) {
      phase = { name, total, unit };
      next = Date.now() + EVERY;
      note(`${name} (${shown(total, unit)}${unit === 'bytes' ? '' : ` ${unit}`})`);
    },
    reached(done) {
      if (Date.now() < next) return;
      next = Date.now() + EVERY;
      note(`${phase.name}: ${shown(done, phase.unit)} of ${shown(phase.total, phase.unit)}`);
    },
    end: () => {},
  };
}
