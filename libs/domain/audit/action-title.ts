import { capitalised, humanize } from '../common/sentences';

/** What an action of the audit log is called where no sentence says it: "Key: allow list changed". */
export function actionTitle(action: string): string {
  const [resource = '', verb = ''] = humanize(action).split('.');
  return `${capitalised(resource)}: ${verb}`;
}
