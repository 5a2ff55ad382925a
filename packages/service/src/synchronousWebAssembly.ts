/** The functions of `WebAssembly` that compile. */
interface Compilers {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object, imports?: object) => object;
  compile(bytes: Uint8Array): Promise<object>;
  instantiate(source: object, imports?: object): Promise<object>;
  compileStreaming?: unknown;
  instantiateStreaming?: unknown;
}

/**
 * Makes this thread compile WebAssembly synchronously. V8 validates an asynchronous compilation on threads of
 * the process, and they go on after the thread that started it is terminated: they then read its freed
 * memory, and the whole process ends with a segmentation fault (V8 11.3, Node 20).
 */
export function compileWebAssemblySynchronously(): void {
  const { WebAssembly } = globalThis as unknown as { WebAssembly: Compilers };
  const { Module, Instance } = WebAssembly;
  WebAssembly.compile = async (bytes) => new Module(bytes);
  WebAssembly.instantiate = async (source, imports) => {
    if (source instanceof Module) return new Instance(source, imports);
    const module = new Module(source as Uint8Array);
    return { module, instance: new Instance(module, imports) };
  };
  delete WebAssembly.compileStreaming;
  delete WebAssembly.instantiateStreaming;
}
