// Client: a field for the id of a firm's key.
import { Button, Group, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { toFirstFault } from '../../../components/first-fault.ts';
import classes from './grant.module.css';

export const KEY_ID = /^key_[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

export function FindKey({ keyId, onFind }: { keyId: string; onFind: (keyId: string) => void }) {
  const [typed, setTyped] = useState(keyId);
  const [fault, setFault] = useState<string | null>(null);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const id = typed.trim();
    if (KEY_ID.test(id)) onFind(id);
    else {
      setFault('A key’s id begins with key_ and has 26 more letters and digits.');
      toFirstFault();
    }
  };
  return (
    <form onSubmit={submit} noValidate>
      <Group align="flex-start" gap="sm" mb="xl" maw="38rem">
        <TextInput
          label="Key id"
          placeholder="key_…"
          value={typed}
          onChange={(event) => {
            setTyped(event.currentTarget.value);
            setFault(null);
          }}
          error={fault}
          flex="1 1 18rem"
          spellCheck={false}
          autoComplete="off"
        />
        <Button type="submit" variant="default" className={classes.beside}>
          Look it up
        </Button>
      </Group>
    </form>
  );
}
