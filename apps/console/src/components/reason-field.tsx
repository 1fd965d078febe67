import { MIN_REASON_LENGTH } from '@app/domain/common/reason';
import { Button, Checkbox, Group, Stack, Textarea } from '@mantine/core';
import { useState } from 'react';
import { useMe } from '../api/client';
import { browserStore } from './browser-store';
import { heldReason, HOLD_MINUTES, recentReasons, rememberReason } from './reasons';

export type Reason = ReturnType<typeof useReason>;

/**
 * The reason of a change, as it is typed. `check()` before sending says at the field what is missing; `remember()` after it
 * keeps the reason for the next change.
 *
 * @param usual what it says before anything is typed
 * @param holds whether it is held unless that is switched off
 */
export function useReason(usual = '', holds = false) {
  const { id } = useMe();
  const [held] = useState(() => heldReason(browserStore, id));
  const [text, setText] = useState(held ?? usual);
  const [hold, setHold] = useState(holds || held !== null);
  const [missing, setMissing] = useState(false);
  const trimmed = text.trim();
  return {
    text,
    trimmed,
    hold,
    setHold,
    isMissing: missing && trimmed.length < MIN_REASON_LENGTH,
    recent: recentReasons(browserStore, id).filter((other) => other !== trimmed),
    setText,
    held: () => heldReason(browserStore, id),
    check: () => {
      setMissing(true);
      return trimmed.length >= MIN_REASON_LENGTH;
    },
    remember: () => rememberReason(browserStore, id, trimmed, hold),
    /** For the next change: as before anything was typed, unless the reason is held. */
    reset: () => {
      setText(hold ? trimmed : usual);
      setMissing(false);
    },
  };
}

export function ReasonField(props: { reason: Reason; label?: string; description?: string; error?: string }) {
  const { reason, label = 'Reason' } = props;
  const { description = 'For the audit log: a ticket, who requested it, why.', error } = props;
  return (
    <Stack gap={6}>
      <Textarea
        label={label}
        description={description}
        name="reason"
        rows={2}
        withAsterisk
        aria-required
        value={reason.text}
        onChange={(event) => reason.setText(event.currentTarget.value)}
        error={reason.isMissing ? `Say why, in at least ${MIN_REASON_LENGTH} characters.` : error}
      />
      {reason.recent.length > 0 && (
        <Group gap={6} role="group" aria-label="Entered before">
          {reason.recent.map((text) => (
            <Button
              key={text}
              size="compact-xs"
              variant="default"
              maw="100%"
              styles={{
                label: { display: 'block', height: 'auto', paddingBlock: 3, textOverflow: 'ellipsis' },
              }}
              onClick={() => reason.setText(text)}
            >
              <bdi>{text}</bdi>
            </Button>
          ))}
        </Group>
      )}
      <Checkbox
        size="xs"
        label={`Fill it in for the next ${HOLD_MINUTES} minutes`}
        checked={reason.hold}
        onChange={(event) => reason.setHold(event.currentTarget.checked)}
      />
    </Stack>
  );
}
