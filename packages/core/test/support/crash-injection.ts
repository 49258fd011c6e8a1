// A test that imports this file is bundled with wrapped modules, in which agents can die (docs/crash-injection.md).

export {};
