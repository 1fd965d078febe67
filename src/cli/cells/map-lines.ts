import type { MovedAccount } from '../../../libs/administration/cells/account-mover';

/** What the maps of `deploy/cells` need for an account that has moved: a section for each file, with the lines to add. */
export function mapLines(accountId: string, { digests, voiceIds }: MovedAccount, cell: string): string {
  const sections: [string, string[]][] = [
    ['moved.map: keys and single-use tokens', digests.map((digest) => `${digest} cell_${cell}`)],
    [
      'accounts.map: before the other lines, because the first that matches decides',
      [`^${accountId}$ cell_${cell}`],
    ],
    ['previews.map: the preview_url of each voice', voiceIds.map((id) => `/v1/voices/${id}/ cell_${cell}`)],
  ];
  return sections
    .map(([title, lines]) => `# ${title}\n${lines.map((line) => `${line}\n`).join('')}`)
    .join('\n');
}
