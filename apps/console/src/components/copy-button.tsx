import { Button } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { useEffect, useEffectEvent } from 'react';
import { UserText } from './inline';

/**
 * Copies a text, and says when the browser does not permit it. `what` names it for those who cannot see what is beside the
 * button; `onCopy` is called when it was copied.
 */
export function CopyButton(props: { value: string; what: string; label?: string; onCopy?: () => void }) {
  const { value, what, label = 'Copy', onCopy } = props;
  const { copy, copied, error } = useClipboard({ timeout: 2_000 });
  const onCopied = useEffectEvent(() => onCopy?.());
  useEffect(() => {
    if (copied) onCopied();
  }, [copied]);
  return (
    <Button
      size="compact-xs"
      variant="default"
      onClick={() => copy(value)}
      aria-label={label === 'Copy' ? `Copy ${what}` : undefined}
    >
      <span aria-live="polite">{copied ? 'Copied' : error ? 'Select it and copy it by hand' : label}</span>
    </Button>
  );
}

export function CopyableId({ id, what }: { id: string; what: string }) {
  return (
    <span style={{ display: 'inline-flex', gap: 8, alignItems: 'center', flexWrap: 'wrap' }}>
      <span className="gr-mono" style={{ minWidth: 0, overflowWrap: 'anywhere' }}>
        <UserText>{id}</UserText>
      </span>
      <CopyButton value={id} what={what} />
    </span>
  );
}
