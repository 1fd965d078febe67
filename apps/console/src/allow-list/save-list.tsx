import { Button, Group, NativeSelect, SimpleGrid, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { type Schema, refresh, staffName } from '../api/client';
import { fieldProblem, toProblem } from '../api/problem';
import type { Closing } from '../components/action-dialog';
import { Banner, ProblemBanner } from '../components/banner';
import { Dialog } from '../components/dialog';
import { ReasonField, useReason } from '../components/reason-field';
import { UNDO_CHOICES } from '../components/undo-banner';
import { submitting, useFields } from '../components/fields';
import { listCalls } from './list-calls';
import { hasSameEntries, type Draft } from './use-draft';

/** A list, the draft that replaces it, and what happens when it has. */
export interface DraftProps {
  list: Schema['AllowListResponse'];
  draft: Draft;
  onSaved: (change: Schema['ChangedAllowListResponse']) => void;
}

/** A first list locks out whatever it has forgotten. */
const FIRST_LIST_UNDO = '15';

/**
 * Saves a draft: the reason, the undo timer, the confirmation before a lock-out, and what to do when another change came first. What
 * is said of the draft stands beside its buttons.
 */
export function SaveList({ list, draft, onSaved, children }: DraftProps & { children: ReactNode }) {
  const fields = useFields({ undo: list.entries === null ? FIRST_LIST_UNDO : '' });
  const reason = useReason();
  const save = useMutation({
    mutationFn: async (confirm: boolean) => {
      const { get, replace } = listCalls(list.owner);
      const body = {
        entries: draft.entries,
        reason: reason.trimmed,
        confirm,
        undo_after_minutes: fields.values.undo === '' ? null : Number(fields.values.undo),
      };
      return replace(draft.begun, body).catch(async (error: unknown) => {
        const stored = toProblem(error).status === 412 && (await get());
        // What has changed is another part of the key or the account, perhaps by the reader in another tab.
        if (!stored || !hasSameEntries(stored, draft.begun)) throw error;
        return replace(stored, body);
      });
    },
    onSuccess: (change) => {
      reason.remember();
      reason.reset();
      fields.set({ undo: '' });
      onSaved(change);
    },
    onError: (error) => toProblem(error).status === 412 && refresh(['allow-list', list.owner.id]),
  });
  const problem = save.error && toProblem(save.error);
  const removes = draft.entries === null && draft.begun.entries !== null;
  return (
    <form onSubmit={submitting(() => reason.check() && save.mutate(false))}>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <ReasonField
          reason={reason}
          description="For the audit log: a ticket, who requested it."
          error={fieldProblem(problem, 'reason')}
        />
        <NativeSelect
          label="Undo automatically"
          description="Protects against locking out the customer."
          data={UNDO_CHOICES}
          {...fields.text('undo')}
        />
      </SimpleGrid>
      <div style={{ display: 'grid', gap: 12, marginTop: 12 }}>
        <Group>
          <Button type="submit" loading={save.isPending} disabled={!draft.isChanged || draft.mistakes > 0}>
            {removes ? 'Remove the list' : 'Save the list'}
          </Button>
          <Button variant="default" disabled={!draft.isChanged} onClick={() => draft.startFrom(list)}>
            Discard
          </Button>
          {children}
        </Group>
        {problem?.status === 412 && <ListConflict list={list} draft={draft} onDecided={save.reset} />}
        {problem !== null && problem.status !== 412 && problem.code !== 'confirmation_required' && (
          <ProblemBanner error={problem} fields={['reason']} />
        )}
      </div>
      {problem?.code === 'confirmation_required' && (
        <LockOutWarning
          of={list.owner.name}
          reasons={problem.reasons}
          isPending={save.isPending}
          onConfirm={() => save.mutate(true)}
          onClose={save.reset}
        />
      )}
    </form>
  );
}

function LockOutWarning(
  props: Closing & { of: string; reasons: string; isPending: boolean; onConfirm: () => void },
) {
  const { of, reasons, isPending, onConfirm, onClose } = props;
  return (
    <Dialog onClose={onClose} title="This may lock out the customer" of={of}>
      <Text style={{ overflowWrap: 'anywhere' }}>{reasons}</Text>
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={onClose} data-autofocus>
          Go back
        </Button>
        <Button color="red" loading={isPending} onClick={onConfirm}>
          Save it anyway
        </Button>
      </Group>
    </Dialog>
  );
}

type AllowList = Schema['AllowListResponse'];

/** Another list was saved in the meantime: what has changed, and which list to continue with. */
function ListConflict({ list, draft, onDecided }: { list: AllowList; draft: Draft; onDecided: () => void }) {
  const choice = (text: string, decide: (stored: AllowList) => void) => {
    const onClick = () => {
      decide(list);
      onDecided();
    };
    return (
      <Button size="compact-sm" variant="default" onClick={onClick}>
        {text}
      </Button>
    );
  };
  return (
    <Banner tone="warn" alert title="This list has changed since you opened it.">
      <ul>
        {describeChanges(draft.begun, list).map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
      <Group gap="xs" mt="xs">
        {choice('Use their list', draft.startFrom)}
        {choice('Keep my draft, and save it over theirs', draft.rebase)}
      </Group>
    </Banner>
  );
}

function describeChanges(before: AllowList, after: AllowList): string[] {
  const was = new Map((before.entries ?? []).map((entry) => [entry.cidr, entry]));
  const is = new Map((after.entries ?? []).map((entry) => [entry.cidr, entry]));
  const removed = [...was.keys()].filter((cidr) => !is.has(cidr)).map((cidr) => `${cidr} was removed.`);
  const others = [...is.values()].flatMap((entry) => {
    const former = was.get(entry.cidr);
    if (!former)
      return [`${entry.cidr} was added${entry.added_by ? ` by ${staffName(entry.added_by)}` : ''}.`];
    return former.note === entry.note && former.ends_at === entry.ends_at
      ? []
      : [`${entry.cidr} has a different note or end.`];
  });
  return [...removed, ...others];
}
