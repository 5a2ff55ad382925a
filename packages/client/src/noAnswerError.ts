const MESSAGES = {
  unreachable: 'Gatehouse cannot be reached',
  timedOut: 'Gatehouse did not answer in time',
  incomplete: 'The answer ended before its end',
} as const;

/** No complete response arrived. It is unknown whether the operation was carried out. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError';
  /** `unreachable`, `timedOut`, or `incomplete`: the response ended before its end. */
  readonly reason: keyof typeof MESSAGES;

  constructor(reason: keyof typeof MESSAGES, cause?: unknown) {
    super(MESSAGES[reason], { cause });
    this.reason = reason;
  }
}
