/** What an action of the audit log is called where no sentence says it: "Key: allow list changed". */
export function actionTitle(action: string): string {
  const [resource = '', verb = ''] = action.replaceAll('_', ' ').split('.');
  return `${resource.charAt(0).toUpperCase()}${resource.slice(1)}: ${verb}`;
}
