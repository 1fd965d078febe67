/** The permissions of the published API (`PermissionType`), in groups for display. */
export const PERMISSION_GROUPS = [
  {
    title: 'Speech and sound',
    permissions: [
      'text_to_speech',
      'speech_to_speech',
      'speech_to_text',
      'sound_generation',
      'audio_isolation',
      'forced_alignment',
      'music_generation',
      'image_video_generation',
      'synthid_detector',
    ],
  },
  {
    title: 'Voices',
    permissions: [
      'voices_read',
      'voices_write',
      'voice_generation',
      'voice_collections_read',
      'voice_collections_write',
      'add_voice_from_voice_library',
      'create_instant_voice_clone',
      'create_professional_voice_clone',
      'publish_voice_to_voice_library',
      'share_voice_externally',
    ],
  },
  {
    title: 'Models and history',
    permissions: ['models_read', 'models_write', 'speech_history_read', 'speech_history_write'],
  },
  {
    title: 'Projects and content',
    permissions: [
      'projects_read',
      'projects_write',
      'audio_native_read',
      'audio_native_write',
      'dubbing_read',
      'dubbing_write',
      'pronunciation_dictionaries_read',
      'pronunciation_dictionaries_write',
      'flows',
      'templates',
    ],
  },
  {
    title: 'Conversational agents',
    permissions: ['convai_read', 'convai_write', 'conversation_privacy_manage'],
  },
  {
    title: 'User',
    permissions: ['user_read', 'user_write', 'create_user_api_key', 'terms_of_service_accept'],
  },
  {
    title: 'Workspace',
    permissions: [
      'workspace_read',
      'workspace_write',
      'workspace_analytics_full_read',
      'workspace_members_read',
      'workspace_members_invite',
      'workspace_members_remove',
      'group_members_manage',
      'service_account_write',
      'webhooks_write',
      'audit_log_read',
      'copy_resources_cross_workspace',
    ],
  },
] as const;

export type Permission = (typeof PERMISSION_GROUPS)[number]['permissions'][number];

/** Every permission name. */
export const PERMISSIONS: readonly Permission[] = PERMISSION_GROUPS.flatMap(
  (group): readonly Permission[] => group.permissions,
);

/**
 * Permissions as two words of 32 bits, for the hot path. Compiled from names when a key is loaded and never stored, so the
 * order of the table above may change.
 */
export interface PermissionSet {
  readonly low: number;
  readonly high: number;
}

/** What the literal `"all"` gives, including permissions that are added later. */
export const ALL_PERMISSIONS: PermissionSet = Object.freeze({ low: -1, high: -1 });

const BIT_OF = new Map<string, number>(PERMISSIONS.map((permission, bit) => [permission, bit]));

/** Compiles permission names (or null for all, as they are stored) to a set. A name that does not exist gives nothing. */
export function compilePermissions(names: readonly string[] | null): PermissionSet {
  if (names === null) return ALL_PERMISSIONS;
  let [low, high] = [0, 0];
  for (const name of names) {
    const bit = BIT_OF.get(name);
    if (bit === undefined) continue;
    if (bit < 32) low |= 1 << bit;
    else high |= 1 << (bit - 32);
  }
  return { low, high };
}

/** Whether the set holds a permission. No permission implies another: `voices_write` does not give `voices_read`. */
export function hasPermission(set: PermissionSet, permission: Permission): boolean {
  const bit = BIT_OF.get(permission);
  if (bit === undefined) return false;
  return ((bit < 32 ? set.low >>> bit : set.high >>> (bit - 32)) & 1) === 1;
}

/** A name that is not a permission: where it stands in the list, and the permission that was probably meant. */
interface UnknownPermission {
  index: number;
  input: string;
  suggestion?: Permission;
  message: string;
}

type ParsedPermissions =
  | { ok: true; permissions: Permission[] | null }
  | { ok: false; problems: UnknownPermission[] };

/**
 * Reads permissions as the wire gives them: a list of names, or `"all"`.
 *
 * @returns the names in the order of the table and without repetition (null for all), or every unknown name
 */
export function parsePermissions(input: readonly string[] | 'all'): ParsedPermissions {
  if (input === 'all') return { ok: true, permissions: null };
  const problems = input.flatMap((name, index) => (BIT_OF.has(name) ? [] : [unknownPermission(name, index)]));
  if (problems.length > 0) return { ok: false, problems };
  const requested = new Set(input);
  return { ok: true, permissions: PERMISSIONS.filter((permission) => requested.has(permission)) };
}

function unknownPermission(name: string, index: number): UnknownPermission {
  const input = name.slice(0, 64);
  const meant = input
    .trim()
    .toLowerCase()
    .replace(/[\s:.-]+/g, '_');
  const suggestion = PERMISSIONS.find((permission) => permission === meant || permission === reversed(meant));
  const hint = suggestion ? ` Did you mean "${suggestion}"?` : '';
  return { index, input, suggestion, message: `"${input}" is not a permission.${hint}` };
}

/** `read_voices` for `voices_read`: the commonest slip besides case and separators. */
function reversed(name: string): string {
  const [verb, ...noun] = name.split('_');
  return [...noun, verb].join('_');
}
