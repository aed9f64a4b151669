// Shell: a page that broke says so, and leaves the rest of the portal alone.
import { Button, Group, Text, Title } from '@mantine/core';
import { Component, type ReactNode } from 'react';

interface ErrorBoundaryProps {
  /** Another value is another page: what broke before is forgotten. */
  at: string;
  children: ReactNode;
}

interface State {
  broken: boolean;
  at: string;
}

/** Also catches a part of the program that is not there any more: the portal was renewed since the page was opened. */
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
    return (
      <div role="alert">
        <Title order={1}>This page did not load</Title>
        <Text c="dimmed" mt={6} maw="42rem">
          The portal may have been renewed since you opened it. Load the page again; if it goes on, tell us what you
          did.
        </Text>
        <Group mt="lg">
          <Button onClick={() => location.reload()}>Load again</Button>
        </Group>
      </div>
    );
  }
}
