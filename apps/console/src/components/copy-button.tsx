import { Button } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { Foreign } from './name';

/** Copies a text. `what` names it for those who cannot see what is beside the button. */
export function CopyButton({ value, what, onCopy }: { value: string; what: string; onCopy?: () => void }) {
  const clipboard = useClipboard({ timeout: 2_000 });
  const copy = () => {
    clipboard.copy(value);
    onCopy?.();
  };
  return (
    <Button size="compact-xs" variant="default" onClick={copy} aria-label={`Copy ${what}`}>
      <span aria-live="polite">{clipboard.copied ? 'Copied' : 'Copy'}</span>
    </Button>
  );
}

/** An id that can be copied. */
export function CopyableId({ id, what }: { id: string; what: string }) {
  return (
    <span style={{ display: 'inline-flex', gap: 8, alignItems: 'center', flexWrap: 'wrap' }}>
      <span className="gr-mono">
        <Foreign>{id}</Foreign>
      </span>
      <CopyButton value={id} what={what} />
    </span>
  );
}
