// Shell: shows the failure of a page, and keeps the rest of the portal working.
import { Button, Group, Text, Title } from '@mantine/core';
import { useDidUpdate } from '@mantine/hooks';
import { Component, type ReactNode } from 'react';
import { useReachable } from '../graphql/reachable.ts';

interface ErrorBoundaryProps {
  /** A different value means another page, and resets the error. */
  at: string;
  children: ReactNode;
}

interface State {
  broken: boolean;
  at: string;
}

/** Also catches a part of the program that could not be loaded, until the program is reloaded. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, State> {
  override state: State = { broken: false, at: this.props.at };

  static getDerivedStateFromError(): Partial<State> {
    return { broken: true };
  }

  static getDerivedStateFromProps({ at }: ErrorBoundaryProps, state: State): State | null {
    return at === state.at ? null : { broken: false, at };
  }

  override render(): ReactNode {
    if (!this.state.broken) return this.props.children;
    return <Broken />;
  }
}

function Broken() {
  const reachable = useReachable();
  useDidUpdate(() => {
    if (reachable) location.reload();
  }, [reachable]);
  return (
    <div role="alert">
      <Title order={1}>This page did not load</Title>
      <Text c="dimmed" mt={6} maw="42rem">
        {reachable
          ? 'Reload it; if it happens again, tell us what you did.'
          : 'It loads by itself as soon as the portal can be reached.'}
      </Text>
      <Group mt="lg">
        <Button onClick={() => location.reload()}>Load again</Button>
      </Group>
    </div>
  );
}
