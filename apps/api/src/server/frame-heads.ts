/** Of the first byte of a frame (RFC 6455, 5.2). */
const [FINAL, CONTROL] = [0x80, 0x08];
/** Of the second. */
const [MASKED, LENGTH] = [0x80, 0x7f];
const MASK_BYTES = 4;

/** Reads the heads of the frames that a client sends: `ws` says nothing of those that do not end a message. */
export class FrameHeads {
  /** Frames that have begun. */
  frames = 0;
  /** Messages that have ended. */
  messages = 0;
  /** Bytes of the message, or of the frame, that has not ended. */
  unfinished = 0;
  private head: number[] = [];
  /** Of the payload of the frame whose head is read. */
  private left = 0;

  read(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length;) {
      const count = this.left > 0 ? Math.min(this.left, chunk.length - at) : 1;
      this.unfinished += count;
      if (this.left > 0) this.left -= count;
      else this.readHead(chunk[at]!);
      at += count;
      if (this.left === 0 && this.head.length === headLength(this.head)) this.endFrame();
    }
  }

  private readHead(byte: number): void {
    if (this.head.length === 0) this.frames += 1;
    this.head.push(byte);
    if (this.head.length === headLength(this.head)) this.left = payloadLength(this.head);
  }

  private endFrame(): void {
    const [first = 0] = this.head;
    // It may stand between two frames of a message.
    if (first & CONTROL) this.unfinished -= this.head.length + payloadLength(this.head);
    else if (first & FINAL) {
      this.messages += 1;
      this.unfinished = 0;
    }
    this.head = [];
  }
}

/** Bytes that say the length, behind the first two. */
function lengthBytes(head: readonly number[]): number {
  const length = secondOf(head) & LENGTH;
  if (length < 126) return 0;
  return length === 126 ? 2 : 8;
}

function headLength(head: readonly number[]): number {
  return 2 + lengthBytes(head) + (secondOf(head) & MASKED ? MASK_BYTES : 0);
}

function payloadLength(head: readonly number[]): number {
  const count = lengthBytes(head);
  if (count === 0) return secondOf(head) & LENGTH;
  return head.slice(2, 2 + count).reduce((length, byte) => length * 256 + byte, 0);
}

/** 0 while it is missing: a head has at least two bytes. */
function secondOf(head: readonly number[]): number {
  return head[1] ?? 0;
}
