// Entry: an address without a page, or without one for this role.
import { Button } from '@mantine/core';
import { IconDoorOff } from '@tabler/icons-react';
import { Link } from 'wouter';
import { PageHeader } from '../../components/page/page-header.tsx';
import { Empty } from '../../components/page/states.tsx';

export default function NotFound() {
  return (
    <>
      <PageHeader title="Nothing here" />
      <Empty
        icon={IconDoorOff}
        title="There is no such page for you"
        action={
          <Button component={Link} href="/">
            Go to the start page
          </Button>
        }
      >
        The address may be mistyped, or the page belongs to another role. If you act in several roles, change it in the
        account menu.
      </Empty>
    </>
  );
}
