/** The largest file of a form, and so the most that a form with files makes the api hold at once. */
export const MAX_FILE_BYTES = 11 * 1024 * 1024;

/** The one field of a form that has files. */
export const FILES = 'files';

/** A file of a form. */
export interface UploadedFile {
  /** As the client calls it; without a path, and never empty. */
  name: string;
  bytes: Buffer;
}

/** Takes the files of a form, each after the one before. What it throws ends the form: the rest is not looked at. */
export type TakeFile = (file: UploadedFile) => Promise<void>;

/** A form that is read while its files are taken; until then none of it is in memory. */
export interface Upload<T> {
  /**
   * @returns what the texts of the form say, once all files were taken
   * @throws ValidationProblem, DomainError for a form that is not accepted, or what `take` throws
   */
  receive(take: TakeFile): Promise<T>;
}

/** The body of a request as a form: its texts once all of its files were taken. */
export interface FormReader {
  read(take: TakeFile): Promise<Record<string, string | string[]>>;
}
