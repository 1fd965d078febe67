/** The parts of the S3 server for tests that are used; it has no types of its own. */
declare module '@20minutes/s3rver' {
  export interface S3Context {
    method: string;
    path: string;
    query: Record<string, string | undefined>;
    type: string;
    body: string;
    status: number;
  }

  export default class S3rver {
    constructor(options: {
      address: string;
      port: number;
      silent: boolean;
      allowMismatchedSignatures: boolean;
      directory: string;
      configureBuckets: { name: string; configs: string[] }[];
    });
    /** What its application calls in this order, as it is when it begins to run. */
    readonly middleware: ((ctx: S3Context, next: () => Promise<void>) => Promise<void>)[];
    run(): Promise<{ address: string; port: number }>;
    close(): Promise<void>;
  }
}
