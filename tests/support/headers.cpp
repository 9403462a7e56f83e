// Nothing: the target of this file has the precompiled headers that all test programs share.
