/** How a voice speaks, as the wire contract names it. */
export interface VoiceSettings {
  stability: number;
  similarityBoost: number;
  style: number;
  useSpeakerBoost: boolean;
  speed: number;
}

/** How fast a voice can speak, both included: 1 is as it speaks without a setting. */
export const SPEED = { min: 0.7, max: 1.2 } as const;

/** The default settings of a voice, as the wire contract publishes them. */
export const DEFAULT_VOICE_SETTINGS: Readonly<VoiceSettings> = {
  stability: 0.5,
  similarityBoost: 0.75,
  style: 0,
  useSpeakerBoost: true,
  speed: 1,
};

/** What an edit says of each setting: undefined leaves it, null is the default. */
export type VoiceSettingsEdit = { [Name in keyof VoiceSettings]?: VoiceSettings[Name] | null };

/** Settings after an edit. */
export function editVoiceSettings(current: VoiceSettings | null, edit: VoiceSettingsEdit): VoiceSettings {
  const { stability, similarityBoost, style, useSpeakerBoost, speed } = current ?? DEFAULT_VOICE_SETTINGS;
  const input = Object.entries(edit).filter(([, value]) => value !== undefined);
  const requested = input.map(([name, value]) => [
    name,
    value ?? DEFAULT_VOICE_SETTINGS[name as keyof VoiceSettings],
  ]);
  return { stability, similarityBoost, style, useSpeakerBoost, speed, ...Object.fromEntries(requested) };
}
