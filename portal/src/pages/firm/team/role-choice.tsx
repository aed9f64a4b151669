// Firm: a choice of roles, with their permissions.
import { Radio, Stack } from '@mantine/core';
import { ChoiceCard } from '../../../components/choice-card.tsx';
import type { TeamQuery } from '../../../generated/operations.ts';
import { roleName } from '../../../session/firm-role.ts';

interface RoleChoiceProps {
  roles: TeamQuery['body']['roles'];
  value: string;
  onChange: (role: string) => void;
}

export function RoleChoice({ roles, value, onChange }: RoleChoiceProps) {
  return (
    <Radio.Group label="Role" value={value} onChange={onChange}>
      <Stack mt="xs" gap="sm">
        {roles.map(({ role, meaning }) => (
          <ChoiceCard key={role} value={role} name={roleName(role)} meaning={meaning} />
        ))}
      </Stack>
    </Radio.Group>
  );
}
