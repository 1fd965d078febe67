/** Files that are stored for years: written once, read whole. */
export abstract class ArchiveStore {
  /** Where the files are, as people read it. */
  abstract readonly place: string;

  /**
   * Writes a file; one of the same name is replaced. It is there whole, or not at all.
   *
   * @param name path with `/` between its parts
   */
  abstract write(name: string, bytes: Buffer): Promise<void>;

  /** The bytes of a file; null when it does not exist. */
  abstract read(name: string): Promise<Buffer | null>;
}
