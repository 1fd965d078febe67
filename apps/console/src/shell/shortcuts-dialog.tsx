import { Stack, Switch } from '@mantine/core';
import { Facts } from '../components/page';
import type { ScreenEntry } from '../components/page-tabs';
import { useShortcutSetting } from '../components/keyboard';
import type { Closing } from '../components/action-dialog';
import { Dialog } from '../components/dialog';

export function ShortcutsDialog({ entries, onClose }: Closing & { entries: readonly ScreenEntry[] }) {
  const [enabled, setEnabled] = useShortcutSetting();
  return (
    <Dialog onClose={onClose} title="Keyboard" of={null}>
      <Stack>
        <Facts
          facts={[
            ['Ctrl K or ⌘ K', 'Find anything'],
            ['/', 'Search this list, Enter to leave the field'],
            ...entries.map(({ letter, label }): [string, string] => [`g ${letter}`, label]),
            ['j k', 'Next and previous row of a list'],
            ['Enter', 'Open the row'],
            ['x', 'Select the row'],
            ['space, n, l', 'At a voice: play, next mark, loop it'],
            ['n t, space, 1 to 5, Enter', 'At the review desk: take, listen, grade, decide'],
            ['Tab, Enter', 'Everything else'],
            ['Esc', 'Close a dialog'],
          ]}
        />
        <Switch
          label="Single-letter shortcuts"
          checked={enabled}
          onChange={(event) => setEnabled(event.currentTarget.checked)}
        />
      </Stack>
    </Dialog>
  );
}
