import { Stack, Textarea, TextInput } from '@mantine/core';
import type { Schema } from '../api/client';
import { LeaveConfirmation } from '../components/leave-confirmation';
import { ProblemBanner } from '../components/banner';
import { StatusBadge } from '../components/inline';
import { plural } from '../components/number';
import { Panel } from '../components/page';
import { AsListOffer } from './as-list-offer';
import { isNoteworthy, ReadEntries } from './read-entries';
import { SaveList, type DraftProps } from './save-list';
import type { Draft } from './use-draft';

/** A list as free text, and what the server reads in it line by line: below what saves it, which stands still while a draft is read. */
export function AllowListEditor({ list, draft, onSaved }: DraftProps) {
  const { check } = draft;
  return (
    <Panel title="Edit the list">
      <LeaveConfirmation
        when={draft.isChanged}
        title="Leave the list?"
        text="It has changes that are not saved."
      />
      <Stack>
        <Textarea
          label="Addresses and CIDR blocks"
          description="Paste any text: a list, an e-mail, a table. A # or a dash behind an address begins its note; so do brackets. Leave it empty for no list."
          rows={5}
          spellCheck={false}
          value={draft.text}
          onChange={(event) => draft.setText(event.currentTarget.value)}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        />
        <AsListOffer text={draft.text} onWrite={draft.setText} from={2} />
        <SaveList list={list} draft={draft} onSaved={onSaved}>
          {check.data && draft.entries && <Summary check={check.data} />}
        </SaveList>
        <ProblemBanner error={check.error} onRetry={() => void check.refetch()} />
        {check.data && draft.entries && <ReadEntries draft={draft} check={check.data} />}
        <AddressCheck draft={draft} />
      </Stack>
    </Panel>
  );
}

function Summary({ check: { problems, entries, corrections } }: { check: Schema['CheckResponse'] }) {
  const changed = corrections.filter(isNoteworthy).length;
  return (
    <div role="status">
      {problems.length > 0
        ? `${plural(problems.length, 'mistake')} to fix before it can be saved.`
        : `${plural(entries.length, 'entry', 'entries')} would be stored${changed > 0 ? `, after ${plural(changed, 'correction')}` : ''}.`}
    </div>
  );
}

/** "Is this address allowed?" by the draft, before it is saved. */
function AddressCheck({ draft }: { draft: Draft }) {
  const response = draft.address.trim() === '' ? null : draft.check.data?.address;
  return (
    <div>
      <TextInput
        label="Is this address allowed?"
        description="According to the list above."
        placeholder="203.0.113.10"
        value={draft.address}
        onChange={(event) => draft.setAddress(event.currentTarget.value)}
      />
      {response && (
        <div role="status" style={{ marginTop: 8 }}>
          <StatusBadge tone={response.allowed ? 'good' : 'bad'}>
            <span className="gr-says">{describe(response)}</span>
          </StatusBadge>
        </div>
      )}
    </div>
  );
}

function describe(props: NonNullable<Schema['CheckResponse']['address']>): string {
  const { given, is_address, allowed, entry } = props;
  if (!is_address) return `${given} is not an address.`;
  if (!allowed) return `No: ${given} is on none of the entries.`;
  return entry === null
    ? `Yes: without a list, every address is let in.`
    : `Yes: ${given} is let in by ${entry}.`;
}
