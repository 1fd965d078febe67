import { api, type Schema } from '../api/client';
import { plural } from '../components/number';
import { accountsOf, type Attention } from './waiting';

type Preset = Schema['AllowListPresetResponse'];

/** Presets of allow-lists that cannot be read, and lists that have them as they were earlier. */
export async function findPresetTroubles(): Promise<Attention[]> {
  const { items, folder_problem: problem } = await api.GET('/admin/allow-list-presets');
  const folder = { text: 'The folder of presets cannot be read', detail: problem, to: '/api-keys' };
  return [...(problem === null ? [] : [folder]), ...items.flatMap(unusable), ...items.flatMap(outdated)];
}

function unusable(preset: Preset): Attention[] {
  if (preset.problem === null) return [];
  const text = `The file of the preset ${preset.name} is not used`;
  return [{ text, detail: `${preset.problem}. Lists stay as they are.`, to: editorOf(preset) }];
}

function outdated(preset: Preset): Attention[] {
  const { name, outdated_lists: count } = preset;
  if (count === 0) return [];
  return [
    {
      text: `${plural(count, 'allow-list has', 'allow-lists have')} an earlier version of the preset ${name}`,
      isEarly: true,
      accounts: accountsOf(preset.outdated),
      detail: count > 1 ? 'The link opens the first of them.' : undefined,
      to: editorOf(preset),
    },
  ];
}

/** Where the first list is edited that a preset concerns. */
function editorOf({ outdated: [first] }: Preset): string {
  if (!first) return '/api-keys';
  return first.kind === 'key' ? `/api-keys/${first.id}/allow-list` : `/accounts/${first.id}/allow-list`;
}
