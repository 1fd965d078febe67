import { DEFAULT_VOICE_SETTINGS, editVoiceSettings } from './voice-settings';

it('an edit changes what it names, and null brings the default back', () => {
  const first = editVoiceSettings(null, { stability: 0.2, speed: 1.1 });
  expect(first).toEqual({ ...DEFAULT_VOICE_SETTINGS, stability: 0.2, speed: 1.1 });
  expect(editVoiceSettings(first, { stability: null, useSpeakerBoost: false, style: undefined })).toEqual({
    ...DEFAULT_VOICE_SETTINGS,
    speed: 1.1,
    useSpeakerBoost: false,
  });
});
