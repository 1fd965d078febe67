import { VoiceAliasRepository } from '@app/database/voices/voice-alias.repository';
import { canonicalList } from '@app/domain/common/tags';
import { curationVersion } from '@app/domain/voices/voice-curation';
import { Injectable } from '@nestjs/common';
import { VoiceAliasesService } from '../voices/voice-aliases.service';
import { entriesAt, FieldProblem, planPart, quoted } from './file-part';
import type { FileVoice } from './key-file';
import { making, type FilePlan, type FileScope } from './key-file-plan';

/** The aliases of voices in files of keys: in a file that lists voices, those that it does not list have none. */
@Injectable()
export class FileVoicesService {
  constructor(
    private readonly aliases: VoiceAliasRepository,
    private readonly service: VoiceAliasesService,
  ) {}

  async plan({ account, input, at }: FileScope): Promise<FilePlan> {
    const listed = input?.voices;
    const stored = await this.aliases.list(account.id, listed?.map(({ id }) => id) ?? []);
    const others = stored.filter(({ id }) => listed && !listed.some((voice) => voice.id === id));
    const added = new Map<string, number>();
    const plan = await planPart({
      kind: 'voice',
      entries: [
        ...others.map(({ id }) => ({ input: { id, aliases: [] as string[] }, path: null })),
        ...entriesAt(listed, [...at, 'voices']),
      ],
      stored,
      about: (voice) => ({ ...voice, version: curationVersion(voice) }),
      settingsOf: ({ aliases }) => ({ aliases }),
      isRemoved: () => false,
      remove: () => async () => [],
      read: ({ id, aliases }, path) => {
        const present = stored.find((voice) => voice.id === id);
        if (!present) throw new FieldProblem([...path, 'id'], `The account has no voice ${quoted(id)}.`);
        added.set(id, aliases.filter((alias) => !present.aliases.includes(alias)).length);
        const expected = [curationVersion(present)];
        return {
          present,
          name: present.name,
          settings: { aliases: canonicalList(aliases) },
          make: (after) =>
            making(({ request }) =>
              this.service.setting({ ...request, voiceId: id, expected }, after.aliases!),
            ),
        };
      },
    });
    // Voices that only lose aliases come first: another may get them.
    const countAdded = ({ id }: { id: string | null }) => added.get(id!) ?? 0;
    return { ...plan, changes: plan.changes.toSorted((one, other) => countAdded(one) - countAdded(other)) };
  }

  async export(accountId: string): Promise<FileVoice[]> {
    return (await this.aliases.list(accountId, [])).map(({ id, aliases }) => ({ id, aliases }));
  }
}
