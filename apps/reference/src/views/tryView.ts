import { examples, type Example, type OperationId } from '../examples/index.js';
import { findFacts, namesIn } from '../facts.js';
import { isOpen, type Operation, type Reference } from '../operations.js';
import { buildRequest, writeCurl, type ApiRequest } from '../requests.js';
import { createAsk, sendRequest, type ApiAnswer } from '../send.js';
import type { Session } from '../session.js';
import { element, preformatted, type Child } from './elements.js';

/** Longer answers are cut for the eye; nobody reads them here. */
const SHOWN_CHARACTERS_MAX = 200_000;

interface Form {
  rows: Child[];
  /** By the name of the parameter. */
  inputs: ReadonlyMap<string, HTMLInputElement>;
  body: HTMLTextAreaElement | null;
}

function createForm(operation: Operation, { parameters = {}, body }: Example): Form {
  const inputs = new Map<string, HTMLInputElement>();
  const rows: Child[] = [];
  for (const { name, in: place, required } of operation.parameters) {
    const id = `try-${name}`;
    const input = element('input', { id, value: parameters[name] ?? '', autocomplete: 'off' });
    input.required = required;
    inputs.set(name, input);
    rows.push(element('label', { for: id }, [`${name} (${place})`]), input);
  }
  if (!operation.requestBody) return { rows, inputs, body: null };
  const text = body === undefined ? '' : JSON.stringify(body, null, 2);
  const area = element('textarea', { id: 'try-body', spellcheck: 'false' }, [text]);
  rows.push(element('label', { for: 'try-body' }, ['Body']), area);
  return { rows, inputs, body: area };
}

/** The request that the form says, spaces between the tokens of its body removed. Throws SyntaxError for a body that is no JSON. */
function readForm(operation: Operation, { inputs, body }: Form): ApiRequest {
  const values = (isHeader: boolean) => {
    const names = operation.parameters.filter((parameter) => (parameter.in === 'header') === isHeader);
    return Object.fromEntries(names.map(({ name }) => [name, inputs.get(name)?.value ?? '']));
  };
  const text = body?.value.trim() ?? '';
  return buildRequest({
    method: operation.method,
    path: operation.path,
    parameters: values(false),
    headers: values(true),
    ...(text !== '' && { body: JSON.stringify(JSON.parse(text)) }),
    isAuthorized: !isOpen(operation),
  });
}

/** Replaces the names of facts in the form by what the server says they are. */
async function fillForm({ inputs, body }: Form, reference: Reference, session: Session): Promise<void> {
  const texts = [...inputs.values()].map(({ value }) => value);
  const names = namesIn([...texts, JSON.parse(body?.value.trim() || 'null')]);
  const facts = await findFacts(names, session.facts, createAsk(reference, session));
  for (const [name, fact] of facts) {
    for (const input of inputs.values()) if (input.value === `<${name}>`) input.value = fact;
    if (body) body.value = body.value.replaceAll(`"<${name}>"`, JSON.stringify(fact));
  }
}

/** What is said of a request, and below it the body of its answer. */
interface Outcome {
  line: Child[];
  body: Child[];
}

type Action = () => Promise<Outcome>;

/** A route that is being tried. */
interface Trial {
  reference: Reference;
  operation: Operation;
  session: Session;
  form: Form;
}

function describeCommand(operation: Operation, form: Form): string {
  try {
    return writeCurl(readForm(operation, form), location.origin);
  } catch {
    return 'The body is no JSON.';
  }
}

function describeAnswer({ status, statusText, durationMs, requestId, entityTag, text }: ApiAnswer): Outcome {
  const line = [
    element('strong', { class: status < 400 ? 'good' : 'bad' }, [`${status} ${statusText}`]),
    ` in ${Math.round(durationMs)} ms, request ${requestId}`,
    entityTag === '' ? '' : `, ETag ${entityTag}`,
  ];
  if (text === '') return { line, body: [] };
  const isWhole = text.length <= SHOWN_CHARACTERS_MAX;
  if (!isWhole) line.push(`, the first ${SHOWN_CHARACTERS_MAX} of ${text.length} characters`);
  const shown = isWhole ? indent(text) : text.slice(0, SHOWN_CHARACTERS_MAX);
  return { line, body: [preformatted(shown, 'Body of the answer')] };
}

function describeFailure(error: unknown): Outcome {
  const message = error instanceof Error ? error.message : String(error);
  return { line: [element('span', { class: 'bad' }, [message])], body: [] };
}

function indent(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function copyButton(text: () => string): HTMLButtonElement {
  const button = element('button', { type: 'button' }, ['Copy the command']);
  const say = (outcome: string) => {
    button.textContent = outcome;
  };
  button.addEventListener('click', () => {
    void navigator.clipboard.writeText(text()).then(
      () => say('Copied'),
      () => say('The browser does not allow it'),
    );
  });
  return button;
}

/** What the two buttons do. */
function createActions({ reference, operation, session, form }: Trial): Record<'fill' | 'send', Action> {
  const needsToken = () => session.token === '' && !isOpen(operation);
  const unlessTokenIsMissing =
    (act: Action): Action =>
    async () =>
      needsToken() ? { line: ['Paste an access token at the top of the page first.'], body: [] } : act();
  return {
    fill: unlessTokenIsMissing(async () => {
      await fillForm(form, reference, session);
      return { line: ['Filled in.'], body: [] };
    }),
    send: unlessTokenIsMissing(async () => {
      await fillForm(form, reference, session);
      return describeAnswer(await sendRequest(readForm(operation, form), session));
    }),
  };
}

/** The form that sends the example, or what the reader makes of it, and the same as a command. */
export function renderTry(reference: Reference, operation: Operation, session: Session): HTMLElement {
  const example = examples[operation.operationId as OperationId];
  const form = createForm(operation, example);
  const { fill, send } = createActions({ reference, operation, session, form });
  const command = preformatted('', 'Command');
  const status = element('p', { role: 'status' });
  const body = element('div');
  const update = () => {
    command.textContent = describeCommand(operation, form);
  };
  const run = async (act: Action) => {
    const outcome = await act().catch(describeFailure);
    status.replaceChildren(...outcome.line);
    body.replaceChildren(...outcome.body);
    update();
  };
  const fillButton = element('button', { type: 'button' }, ['Fill in what is in <angle brackets>']);
  fillButton.addEventListener('click', () => void run(fill));
  const sendButton = element('button', { class: 'main' }, [`Send ${operation.method}`]);
  // Elsewhere a page may not write to the clipboard.
  const copyButtons = isSecureContext ? [copyButton(() => command.textContent)] : [];
  const rendered = element('form', { 'aria-label': 'Try it' }, [
    ...(example.note === undefined ? [] : [element('p', {}, [example.note])]),
    element('div', { class: 'inputs' }, form.rows),
    element('div', { class: 'actions' }, [sendButton, fillButton, ...copyButtons]),
    command,
    status,
    body,
  ]);
  rendered.addEventListener('input', update);
  rendered.addEventListener('submit', (event) => {
    event.preventDefault();
    void run(send);
  });
  update();
  return rendered;
}
