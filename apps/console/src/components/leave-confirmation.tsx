import { Button, Group, Text } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { Dialog } from './dialog';

/** Asks before the screen is left, by a link, the back button or closing the tab, while `when`. */
export function LeaveConfirmation({ when, title, text }: { when: boolean; title: string; text: string }) {
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => when && current.pathname !== next.pathname,
    enableBeforeUnload: () => when,
    withResolver: true,
  });
  if (blocker.status !== 'blocked') return null;
  return (
    <Dialog onClose={blocker.reset} title={title} of={null}>
      <Text>{text}</Text>
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={blocker.reset} data-autofocus>
          Stay
        </Button>
        <Button color="red" onClick={blocker.proceed}>
          Leave
        </Button>
      </Group>
    </Dialog>
  );
}
