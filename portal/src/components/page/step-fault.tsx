// Components: why a step was not taken, or that nobody knows yet whether it was.
import { Anchor, Loader } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import { useReachable } from '../../graphql/reachable.ts';
import type { StepState } from '../../graphql/use-step.ts';
import { Notice } from './notice.tsx';
import { Failure } from './states.tsx';

interface StepFaultProps {
  of: Pick<StepState, 'lost' | 'error'>;
  /** What was sent: the fault goes when it is changed. */
  about?: unknown;
}

export function StepFault({ of: { lost, error }, about }: StepFaultProps) {
  const reachable = useReachable();
  const [first, setFirst] = useState({ error, about });
  if (first.error !== error) setFirst({ error, about });
  if (lost)
    return (
      <div role="status">
        <Notice tone="warn" title="No answer came" icon={Waiting}>
          It may have been done all the same. Finding out; it is not sent again.
        </Notice>
      </div>
    );
  const over = first.about !== about || (error?.code === 'offline' && reachable);
  // A key that was made stays made, whatever is filled in now.
  if (error === null || (over && error.code !== 'secret_lost')) return null;
  return (
    <Failure error={error}>
      {error.code === 'secret_lost' && (
        <Anchor component={Link} href={`/keys/${error.param}`} underline="always">
          Open the key
        </Anchor>
      )}
    </Failure>
  );
}

const Waiting = ({ className }: { className?: string | undefined }) => (
  <Loader size={17} className={className} aria-hidden />
);
