// Shell: the question before a page is left on which something would be lost.
import { Button, Group, Modal, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { answerWith, type Guard } from '../session/leaving.ts';

interface Asked {
  guard: Guard;
  answer: (leave: boolean) => void;
}

export function LeaveQuestion() {
  const [asked, setAsked] = useState<Asked | null>(null);
  useEffect(() => {
    answerWith((guard) => new Promise((answer) => setAsked({ guard, answer })));
  }, []);
  const answer = (leave: boolean) => {
    asked?.answer(leave);
    setAsked(null);
  };
  return (
    <Modal opened={asked !== null} onClose={() => answer(false)} title={asked?.guard.title} zIndex={400}>
      <Text>{asked?.guard.words}</Text>
      <Group justify="flex-end" gap="sm" mt="lg">
        <Button variant="default" onClick={() => answer(false)} data-autofocus>
          Stay here
        </Button>
        <Button color="red" onClick={() => answer(true)}>
          {asked?.guard.leave}
        </Button>
      </Group>
    </Modal>
  );
}
