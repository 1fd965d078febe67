/** Request bodies that are accepted; tests change what they are about. Fast speech is made fast. */
export const DESCRIPTION = 'A bright young woman who speaks very fast, for the end of commercials.';

/** Exactly 100 characters: the shortest text a preview may speak, and so a cost of 100 credits. */
export const TEXT =
  'The harbour was quiet that morning, and the boats lay still while the fog moved slowly over the sea.';

export const designBody = (changes: Record<string, unknown> = {}) => ({
  voice_description: DESCRIPTION,
  text: TEXT,
  seed: 7,
  ...changes,
});

export const createBody = (generatedVoiceId: string, changes: Record<string, unknown> = {}) => ({
  voice_name: 'Harbour narrator',
  voice_description: DESCRIPTION,
  generated_voice_id: generatedVoiceId,
  ...changes,
});

/** Three sentences, each of which is spoken as a piece of its own. */
export const SENTENCES = [
  'The harbour was quiet that morning, and the boats lay still. ',
  'Fog moved slowly over the sea, and nobody on the pier spoke. ',
  'Then a bell rang somewhere, and the day began after all.',
];
