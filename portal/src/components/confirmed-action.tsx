// Components: a button for an action that is confirmed first, with a message afterwards.
import { Button, type ButtonProps } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';
import type { Operation } from '../graphql/operation.ts';
import { type ActionOptions, useAction } from '../graphql/use-action.ts';
import { Confirm, type Question } from './confirm.tsx';
import { useTitleAfterLeaving } from './focus.ts';

interface ConfirmedActionProps<Body, Variables>
  extends Omit<ActionOptions<Body, Variables>, 'onDone' | 'done'>,
    Question,
    Omit<ButtonProps, keyof Question> {
  operation: Operation<Body, Variables>;
  variables: Variables;
  /** The content of the button, which disappears with the action. */
  label: ReactNode;
  'aria-label'?: string;
  /** The message afterwards. */
  done: ReactNode;
}

export function ConfirmedAction<Body, Variables>(props: ConfirmedActionProps<Body, Variables>) {
  const { operation, variables, lookUp, label, title, confirm, destructive, children, done, ...button } = props;
  const [opened, question] = useDisclosure();
  const { ref, leaving } = useTitleAfterLeaving();
  const onDone = () => {
    leaving();
    question.close();
  };
  const action = useAction(operation, { lookUp, onDone, done: () => done });
  return (
    <>
      <Button ref={ref} variant="default" onClick={question.open} {...button}>
        {label}
      </Button>
      <Confirm
        opened={opened}
        onClose={question.close}
        title={title}
        confirm={confirm}
        destructive={destructive}
        onConfirm={() => action.start(variables)}
        action={action}
      >
        {children}
      </Confirm>
    </>
  );
}
