import { join } from 'node:path';
import { writePrivateJson } from './private-file';

/** `DATA_DIR/first-run.json`: what a newcomer needs for a first request. */
export interface FirstRun {
  base_url: string;
  api_key: string;
  /** The first member of staff, an admin; absent when there were members of staff already. */
  admin_email?: string;
  admin_password?: string;
}

/** What preparing the database has done, as its process reports to the launcher. */
export interface Preparation {
  /** Names of the migrations, functions and views that were applied. */
  applied: string[];
  /** The demo account's access, when it was created just now. */
  firstRun: FirstRun | null;
}

export function firstRunFile(dataDir: string): string {
  return join(dataDir, 'first-run.json');
}

/** The only copy of the secret: the database keeps its digest. */
export function writeFirstRun(dataDir: string, firstRun: FirstRun): void {
  writePrivateJson(firstRunFile(dataDir), firstRun);
}

const DESCRIPTION = 'A calm, warm woman in her forties with a clear British accent, speaking slowly.';

/** Three commands to paste one after the other: each uses what the one before has found. */
export function firstCommands({ base_url, api_key }: FirstRun): { title: string; command: string }[] {
  const curl = (path: string) => `curl -sS ${base_url}/v1/${path} -H 'xi-api-key: ${api_key}'`;
  const post = (path: string, json: string) =>
    `${curl(path)} -H 'content-type: application/json' -d '${json}'`;
  const design = `{"voice_description":"${DESCRIPTION}","auto_generate_text":true}`;
  const create = `{"voice_name":"My first voice","voice_description":"${DESCRIPTION}","generated_voice_id":"'$PREVIEW'"}`;
  const state = `grep -oE '"(labelling_status|recording_quality|recording_quality_reason)":"[^"]*"'`;
  return [
    {
      title: 'Design a voice (three previews; this keeps the id of the first):',
      command: `PREVIEW=$(${post('text-to-voice/design', design)} | ${firstValueOf('generated_voice_id')}); echo $PREVIEW`,
    },
    {
      title: 'Store it as a voice:',
      command: `VOICE=$(${post('text-to-voice', create)} | ${firstValueOf('voice_id')}); echo $VOICE`,
    },
    {
      title: 'Watch its review:',
      command: `while STATE=$(${curl('voices/$VOICE')} | ${state}); echo "$STATE"; echo "$STATE" | grep -q in_review; do sleep 1; done`,
    },
  ];
}

function firstValueOf(field: string): string {
  return `grep -o '"${field}":"[^"]*"' | head -n 1 | cut -d '"' -f 4`;
}
