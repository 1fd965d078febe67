import { DefaultNamingStrategy } from 'typeorm';

/** Columns are snake_case in PostgreSQL and camelCase in code. Tables are named explicitly. */
export class SnakeNamingStrategy extends DefaultNamingStrategy {
  override columnName(propertyName: string, customName: string | undefined): string {
    return customName ?? propertyName.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  }
}
