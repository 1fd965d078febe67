import { useDisclosure } from '@mantine/hooks';
import { useEffect } from 'react';
import { pressedKey } from '../components/pressed-key';

/** Whether the palette is open; Ctrl K or ⌘ K opens it anywhere but over another dialog. */
export function usePalette() {
  const [opened, palette] = useDisclosure();
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey || pressedKey(event) !== 'k')
        return;
      event.preventDefault();
      if (document.querySelector('[role=dialog]') === null) palette.open();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, [palette.open]);
  return [opened, palette] as const;
}
