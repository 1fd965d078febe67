import { readAllowListText } from '@app/domain/allow-lists/allow-list-text';
import { presetChange } from '@app/domain/allow-lists/preset-change';
import { Button, Group, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { read, type Schema } from '../api/client';
import { UserText } from '../components/inline';
import { Banner } from '../components/banner';
import { plural } from '../components/number';
import { Panel } from '../components/page';
import { withPreset } from './draft-text';
import type { Draft } from './use-draft';

/** Blocks by name that can be put on the list; those that are on it and have changed since say so. */
export function PresetsPanel({ draft }: { draft: Draft }) {
  const query = useQuery({ ...read(['allow-list-presets'], '/admin/allow-list-presets'), staleTime: 60_000 });
  const presets = query.data?.items ?? [];
  if (presets.length === 0) return null;
  return (
    <Panel title="Presets">
      <Stack gap="sm">
        {presets.map((preset) => (
          <Preset key={preset.name} preset={preset} draft={draft} />
        ))}
      </Stack>
    </Panel>
  );
}

function Preset({ preset, draft }: { preset: Schema['AllowListPresetResponse']; draft: Draft }) {
  const { name, blocks, problem } = preset;
  const { isListed, added, removed } = presetChange(readAllowListText(draft.text).entries, preset);
  const isChanged = isListed && (added.length > 0 || removed.length > 0);
  return (
    <div style={{ overflowWrap: 'anywhere' }}>
      <Group justify="space-between">
        <span>
          <strong>{name}</strong> <span className="gr-dimmed">{plural(blocks.length, 'block')}</span>
        </span>
        {(!isListed || isChanged) && blocks.length > 0 && (
          <Button
            size="compact-sm"
            variant="default"
            aria-label={isListed ? `Apply the change of ${name}` : `Add ${name}`}
            onClick={() => draft.setText(withPreset(draft.text, preset))}
          >
            {isListed ? `Apply the change: +${added.length} −${removed.length}` : 'Add'}
          </Button>
        )}
      </Group>
      {isChanged && <Banner tone="warn">This preset has changed since it was added to the list.</Banner>}
      {problem !== null && (
        <Banner tone="warn">
          Its current file cannot be used: <UserText>{problem}</UserText>. These are its blocks from before.
        </Banner>
      )}
    </div>
  );
}
