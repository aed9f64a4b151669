// Shell: the question before a page is left on which something would be lost.
import { Button, Group, Modal, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { answerWith, type Guard } from '../session/leaving.ts';

interface Question {
  guard: Guard;
  answer: (leave: boolean) => void;
}

export function LeaveQuestion() {
  const [question, setQuestion] = useState<Question | null>(null);
  useEffect(() => {
    answerWith((guard) => new Promise((answer) => setQuestion({ guard, answer })));
  }, []);
  const answer = (leave: boolean) => {
    question?.answer(leave);
    setQuestion(null);
  };
  return (
    <Modal opened={question !== null} onClose={() => answer(false)} title={question?.guard.title} zIndex={400}>
      <Text>{question?.guard.text}</Text>
      <Group justify="flex-end" gap="sm" mt="lg">
        <Button variant="default" onClick={() => answer(false)} data-autofocus>
          Stay here
        </Button>
        <Button color="red" onClick={() => answer(true)}>
          {question?.guard.leave}
        </Button>
      </Group>
    </Modal>
  );
}
