import { Modal, Stack, Switch } from '@mantine/core';
import { Facts } from '../components/facts';
import type { NavigationEntry } from './navigation';
import { useShortcutSetting } from './shortcuts';

/** What the keyboard can do. */
export function ShortcutsDialog({
  entries,
  onClose,
}: {
  entries: readonly NavigationEntry[];
  onClose: () => void;
}) {
  const [enabled, setEnabled] = useShortcutSetting();
  return (
    <Modal opened onClose={onClose} title="Keyboard" closeButtonProps={{ 'aria-label': 'Close' }}>
      <Stack>
        <Facts
          facts={[
            ['/', 'Search this list'],
            ...entries.map(({ letter, label }): [string, string] => [`g ${letter}`, label]),
            ['Tab, Enter', 'Everything else'],
            ['Esc', 'Close a dialog'],
          ]}
        />
        <Switch
          label="Use shortcuts of one letter"
          checked={enabled}
          onChange={(event) => setEnabled(event.currentTarget.checked)}
        />
      </Stack>
    </Modal>
  );
}
