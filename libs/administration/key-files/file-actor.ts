import { bySystem, type AuditActor } from '../audit/audit-actors';

/** A file of keys as the actor of an event: a person who can run the command has the database. */
export function byFile(file: string): AuditActor {
  return bySystem(actorIdOf(file));
}

export function actorIdOf(file: string): string {
  return `file ${file}`;
}
